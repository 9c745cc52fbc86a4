import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import type { InformerFactory } from '../client/informer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { admissionPolicyController } from './admission-policy/controller.ts';
import { apiServiceController } from './api-service/controller.ts';
import { certificateApprover } from './certificates/approver.ts';
import { certificateCleaner } from './certificates/cleaner.ts';
import { certificateSigner } from './certificates/signer.ts';
import { clusterRoleAggregationController } from './cluster-role-aggregation/controller.ts';
import { cronJobController } from './cronjob/controller.ts';
import { customResourceDefinitionController } from './custom-resource-definition/controller.ts';
import { daemonSetController } from './daemonset/controller.ts';
import { type DeploymentControllerOptions, deploymentController } from './deployment/controller.ts';
import { disruptionController } from './disruption/controller.ts';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/controller.ts';
import { endpointSliceController, endpointsController } from './endpoints/controller.ts';
import { ephemeralVolumeController } from './ephemeral-volume/controller.ts';
import { flowSchemaController } from './flow-schema/controller.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import type { Issuing } from './issuing.ts';
import { jobController, orphanPodController } from './job/controller.ts';
import { namespaceController } from './namespace/controller.ts';
import { nodeLifecycleController, nodeTaintController } from './node-lifecycle/controller.ts';
import type { NodeLifecycleOptions } from './node-lifecycle/monitor.ts';
import { type PodGcOptions, podGarbageCollector } from './pod-gc/controller.ts';
import { type ReplicaSetControllerOptions, replicaSetController, replicationControllerController } from './replicaset/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { rootCaPublisher } from './root-ca-publisher/controller.ts';
import type { Controller } from './runtime/controller.ts';
import type { ServedResources } from './runtime/served-resources.ts';
import { type Runnable, Shell } from './runtime/shell.ts';
import { serviceAccountController } from './service-account/controller.ts';
import { serviceAccountTokenController } from './service-account-token/controller.ts';
import { serviceAddressRepair, serviceCIDRController } from './service-addresses/controller.ts';
import { statefulSetController } from './statefulset/controller.ts';
import { claimProtectionController, volumeProtectionController } from './storage-protection/controller.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/controller.ts';
import { claimBinder, volumeBinder } from './volume-binding/controller.ts';
import { volumeDeleter, volumeProvisioner } from './volume-provisioner/controller.ts';

export type { Runnable } from './runtime/shell.ts';

export interface ControllersOptions {
  client: Client;
  /** Start it after this call: the controllers register with it first. */
  informers: InformerFactory;
  clock: Clock;
  log: Log;
  resources: ServedResources;
  /** The PEM that pods find as kube-root-ca.crt; left out: nothing is published. */
  certificateAuthority?: string;
  /** The cluster's keys at work; left out: nothing is signed. */
  issuing?: Issuing;
  /** One for each component. */
  recorder: (component: string) => EventRecorder;
  /** Keys that each controller handles at the same time. Default 5. */
  workers?: number;
  deployment?: DeploymentControllerOptions;
  replicaSet?: ReplicaSetControllerOptions;
  podGc?: PodGcOptions;
  nodeLifecycle?: NodeLifecycleOptions;
}

/** All controllers, in the order in which they should start. */
export function controllers(options: ControllersOptions): Runnable[] {
  return eachController(options, (controller) => run(controller, options));
}

/** A controller at work. */
export function run<Snapshot>(controller: Controller<Snapshot>, { client, informers, clock, log, recorder, workers = 5 }: ControllersOptions): Runnable {
  const writer = controller.writesAs === undefined ? client : client.as(controller.writesAs);
  return new Shell(controller, { client: writer, informers, clock, log, workers, recorder: recorder(controller.name) });
}

/** What becomes of each controller, in the order in which they should start. */
export function eachController<Result>(options: ControllersOptions, visit: <Snapshot>(controller: Controller<Snapshot>) => Result): Result[] {
  const { client, informers, resources, certificateAuthority, issuing } = options;
  return [
    visit(namespaceController(informers, client, resources)),
    visit(serviceAccountController(informers)),
    ...(certificateAuthority === undefined ? [] : [visit(rootCaPublisher(informers, certificateAuthority))]),
    ...(certificateAuthority && issuing ? [visit(serviceAccountTokenController(informers, { issuing, certificateAuthority }))] : []),
    ...(issuing ? [visit(certificateApprover(informers, client)), visit(certificateSigner(informers, issuing))] : []),
    visit(certificateCleaner(informers)),
    visit(deploymentController(informers, options.deployment)),
    visit(replicaSetController(informers, options.replicaSet)),
    visit(replicationControllerController(informers, options.replicaSet)),
    visit(daemonSetController(informers)),
    visit(statefulSetController(informers)),
    visit(jobController(informers)),
    visit(orphanPodController(informers)),
    visit(cronJobController(informers, client)),
    visit(ttlAfterFinishedController(informers)),
    visit(disruptionController(informers)),
    visit(endpointsController(informers)),
    visit(endpointSliceController(informers)),
    visit(endpointSliceMirroringController(informers)),
    visit(garbageCollector(informers, client, resources)),
    visit(nodeTaintController(informers)),
    visit(nodeLifecycleController(informers, options.nodeLifecycle)),
    visit(taintEvictionController(informers)),
    visit(podGarbageCollector(informers, client, options.podGc)),
    visit(claimBinder(informers)),
    visit(volumeBinder(informers, client)),
    visit(ephemeralVolumeController(informers)),
    visit(volumeProvisioner(informers)),
    visit(volumeDeleter(informers)),
    visit(claimProtectionController(informers)),
    visit(volumeProtectionController(informers)),
    visit(resourceQuotaController(informers, resources)),
    visit(serviceAddressRepair(informers)),
    visit(serviceCIDRController(informers)),
    visit(apiServiceController(informers)),
    visit(clusterRoleAggregationController(informers)),
    visit(customResourceDefinitionController(informers, client)),
    visit(flowSchemaController(informers)),
    visit(admissionPolicyController(informers)),
  ];
}
