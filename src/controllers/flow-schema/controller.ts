import type { FlowSchema, FlowSchemaCondition } from '../../api/generated/types/flowcontrol.v1.ts';
import type { Draft } from '../../api/object.ts';
import { FlowSchemas, PriorityLevelConfigurations } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface FlowSchemaSnapshot {
  schema: FlowSchema;
  /** Whether the priority level that it names is there. */
  hasPriorityLevel: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Says of each flow schema whether its priority level is there. Upstream: apiserver/pkg/util/flowcontrol/apf_controller.go, presyncFlowSchemaStatus. */
export function flowSchemaController(informers: InformerFactory): Controller<FlowSchemaSnapshot> {
  const schemas = informers.lister(FlowSchemas);
  const levels = informers.lister(PriorityLevelConfigurations);
  const ofLevel = (name: string): string[] => schemas.list().flatMap((schema) => (levelOf(schema) === name ? [schema.metadata.name!] : []));
  return {
    name: 'flow-schema-controller',
    writesAs: 'api-priority-and-fairness-config-consumer-v1',
    watches: [
      watchRule(FlowSchemas, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name!])),
      watchRule(PriorityLevelConfigurations, ({ type, object }) => (type === 'updated' ? [] : ofLevel(object.metadata.name!))),
    ],
    observe: async (key, { now }) => {
      const schema = schemas.get('', key);
      return schema && { schema, hasPriorityLevel: levels.get('', levelOf(schema)) !== undefined, now };
    },
    plan: planFlowSchema,
  };
}

const levelOf = ({ spec }: FlowSchema): string => spec?.priorityLevelConfiguration.name ?? '';

export function planFlowSchema({ schema, hasPriorityLevel, now }: FlowSchemaSnapshot): Plan {
  const level = `This FlowSchema references the PriorityLevelConfiguration object named "${levelOf(schema)}"`;
  const wanted: FlowSchemaCondition = hasPriorityLevel
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${level} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${level} but there is no such object` };
  const current = schema.status?.conditions?.find(({ type }) => type === 'Dangling');
  if (current && current.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message) return NOTHING_TO_DO;
  const status = { conditions: [{ ...wanted, lastTransitionTime: timestamp(now) }] };
  return {
    actions: [
      { type: 'apply', resource: FlowSchemas, subresource: 'status', object: { metadata: { name: schema.metadata.name }, status } as Draft<FlowSchema> },
    ],
  };
}
