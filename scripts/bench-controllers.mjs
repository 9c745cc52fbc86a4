#!/usr/bin/env node
// What a sync costs: one plan of a Deployment with ten ReplicaSets, and the look at one Deployment and at one ReplicaSet
// while the cluster around them grows. The objects stand in a real API server; all of them are in one namespace.
import { Deployments, Pods, ReplicaSets } from '../dist/api/resources.js';
import { ApiServer } from '../dist/apiserver/api-server.js';
import { Client } from '../dist/client/client.js';
import { InformerFactory } from '../dist/client/informer.js';
import { componentUser } from '../dist/cluster/users.js';
import { deploymentController } from '../dist/controllers/deployment/controller.js';
import { planDeployment } from '../dist/controllers/deployment/plan.js';
import { controllerReference } from '../dist/controllers/ownership.js';
import { replicaSetController } from '../dist/controllers/replicaset/controller.js';
import { SystemClock } from '../dist/lib/clock.js';
import { silent } from '../dist/lib/log.js';
import { Rng } from '../dist/lib/rng.js';
import { MemoryStore } from '../dist/store/memory/memory-store.js';

const NAMESPACE = 'bench';
const HISTORY = 10;
const LIVE = 4;
/** Bare pods and ReplicaSets that somebody made by hand. */
const ORPHANS_PER_HUNDRED = 10;

const labelsOf = (index) => ({ app: `app-${index}`, team: `team-${index % 20}` });
const container = (image) => ({ name: 'app', image });

function deploymentDraft(index, replicas) {
  const labels = labelsOf(index);
  return {
    metadata: { name: `app-${index}`, namespace: NAMESPACE },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container('app:v9')] } } },
  };
}

function replicaSetDraft(owner, index, revision) {
  const hash = `hash${revision}`;
  const labels = { ...labelsOf(index), 'pod-template-hash': hash };
  const annotations = {
    'deployment.kubernetes.io/revision': String(revision),
    'deployment.kubernetes.io/desired-replicas': String(LIVE),
    'deployment.kubernetes.io/max-replicas': String(LIVE + 1),
  };
  return {
    metadata: { name: `app-${index}-${hash}`, namespace: NAMESPACE, labels, annotations, ownerReferences: [controllerReference(Deployments, owner)] },
    spec: {
      replicas: revision === HISTORY ? LIVE : 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container(`app:v${revision - 1}`)] } },
    },
  };
}

function podDraft(owner, name, labels) {
  return {
    metadata: { name, namespace: NAMESPACE, labels, ...(owner ? { ownerReferences: [controllerReference(ReplicaSets, owner)] } : {}) },
    spec: { containers: [container('app:v9')] },
  };
}

/** One Deployment with ten ReplicaSets of which the last has pods, `count - 1` more with one ReplicaSet and two pods each, and orphans. */
async function fill(client, count) {
  const [deployments, replicaSets, pods] = [client.resource(Deployments), client.resource(ReplicaSets), client.resource(Pods)];
  for (let index = 0; index < count; index++) {
    const deployment = await deployments.create(deploymentDraft(index, LIVE));
    const first = index === 0 ? 1 : HISTORY;
    for (let revision = first; revision <= HISTORY; revision++) {
      const replicaSet = await replicaSets.create(replicaSetDraft(deployment, index, revision));
      if (revision < HISTORY) continue;
      for (let pod = 0; pod < (index === 0 ? LIVE : 2); pod++) await pods.create(podDraft(replicaSet, `app-${index}-${pod}`, replicaSet.metadata.labels));
    }
    if (index % 100 < ORPHANS_PER_HUNDRED) await pods.create(podDraft(undefined, `bare-${index}`, { ...labelsOf(index), app: `bare-${index}` }));
  }
}

/** Microseconds of one call: the best quarter of the rounds, so that other work on the machine does not show. */
async function cost(work) {
  const rounds = [];
  for (let round = 0; round < 40; round++) {
    const began = performance.now();
    const calls = round < 3 ? 20 : 60;
    for (let call = 0; call < calls; call++) await work();
    rounds.push(((performance.now() - began) * 1000) / calls);
  }
  return rounds.sort((a, b) => a - b)[10];
}

async function measure(count) {
  const clock = new SystemClock();
  const rng = new Rng(1);
  const apiServer = new ApiServer({ store: new MemoryStore(), clock, rng, admission: [] });
  const client = new Client(apiServer, componentUser('bench'), 'bench');
  await fill(client, count);
  const informers = new InformerFactory({ client, clock, rng, log: silent });
  const deployments = deploymentController(informers);
  const replicaSets = replicaSetController(informers);
  informers.start();
  await informers.whenSynced();
  const context = { now: clock.now(), expectationsMet: true };
  const replicaSet = informers.lister(ReplicaSets).get(NAMESPACE, `app-0-hash${HISTORY}`);
  const pod = informers.lister(Pods).get(NAMESPACE, 'app-0-0');
  const orphan = informers.lister(Pods).get(NAMESPACE, 'bare-0');
  const { ownerReferences: _, ...metadata } = replicaSet.metadata;
  const orphanSet = { ...replicaSet, metadata: { ...metadata, uid: 'orphan', labels: { app: 'none' } } };
  const changed = (controller, resource, change) => () =>
    controller.watches.filter((rule) => rule.resource.resource === resource.resource).flatMap((rule) => rule.keys(change));
  const snapshot = await deployments.observe(`${NAMESPACE}/app-0`, context);
  const row = {
    Deployments: count,
    'plan of ten ReplicaSets': await cost(() => planDeployment(snapshot)),
    'sync of a Deployment': await cost(async () => deployments.plan(await deployments.observe(`${NAMESPACE}/app-0`, context))),
    'sync of a ReplicaSet': await cost(async () => replicaSets.plan(await replicaSets.observe(`${NAMESPACE}/app-0-hash${HISTORY}`, context))),
    'pod changed': await cost(changed(replicaSets, Pods, { type: 'updated', object: pod, old: pod })),
    'orphan pod added': await cost(changed(replicaSets, Pods, { type: 'added', object: orphan })),
    'orphan ReplicaSet added': await cost(changed(deployments, ReplicaSets, { type: 'added', object: orphanSet })),
  };
  await informers.stop();
  return row;
}

const rows = [];
for (const count of [100, 1000, 10_000]) rows.push(await measure(count));
process.stdout.write('Cost of a sync in microseconds, all objects in one namespace\n');
for (const name of Object.keys(rows[0]))
  process.stdout.write(`${name.padEnd(26)}${rows.map((row) => (name === 'Deployments' ? String(row[name]) : row[name].toFixed(1)).padStart(12)).join('')}\n`);
