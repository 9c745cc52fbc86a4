import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../generated/types/flowcontrol.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { inclusiveRange } from '../../names.ts';
import { checkConditions } from './conditions.ts';
import { internal } from './internal-names.ts';
import { MANDATORY_PRIORITY_LEVELS } from './mandatory.ts';

const NONE = '<none>';
const EXEMPT = 'exempt';
const MOST_QUEUES = 10_000_000;
/** The bits of a hash that shuffle sharding may use up. */
const MOST_ENTROPY_BITS = 60;
/** An annotation of v1beta3 alone. */
const ROUND_TRIP = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** Upstream: pkg/apis/flowcontrol/v1/defaults.go. */
function setDefaults({ spec: { limited, exempt } }: PriorityLevelConfiguration): void {
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (limited) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
  }
  const queuing = limited?.limitResponse?.queuing;
  if (queuing) {
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  }
}

/** What dealing a hand of queues to a flow takes of its hash (upstream: shufflesharding.RequiredEntropyBits). */
const requiredEntropyBits = (queues: number, handSize: number): number => Math.ceil(Math.log2(queues) * handSize);

function handFault(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (requiredEntropyBits(queues, handSize) <= MOST_ENTROPY_BITS) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MOST_ENTROPY_BITS}`;
}

function checkQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration, field: string): FieldError[] {
  const fault = handFault(queues, handSize);
  return [
    ...(queueLengthLimit <= 0 ? [invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : []),
    ...(queues <= 0 ? [invalid(`${field}.queues`, queues, 'must be positive')] : []),
    ...(queues > MOST_QUEUES ? [invalid(`${field}.queues`, queues, `must not be greater than ${MOST_QUEUES}`)] : []),
    ...(fault ? [invalid(`${field}.handSize`, handSize, fault)] : []),
  ];
}

/** Upstream: ValidateLimitResponse. */
function checkResponse({ type = '', queuing }: LimitResponse, field: string): FieldError[] {
  switch (type) {
    case 'Reject':
      return queuing ? [forbidden(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')] : [];
    case 'Queue':
      return queuing ? checkQueuing(queuing, `${field}.queuing`) : [required(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')];
    default:
      return [notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
  }
}

function checkShares({ nominalConcurrencyShares: shares }: ExemptPriorityLevelConfiguration, field: string): FieldError[] {
  return (shares ?? 0) < 0 ? [invalid(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
}

function checkLendable({ lendablePercent: percent = 0 }: ExemptPriorityLevelConfiguration, field: string): FieldError[] {
  return percent >= 0 && percent <= 100 ? [] : [invalid(`${field}.lendablePercent`, percent, inclusiveRange(0, 100))];
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, field: string): FieldError[] {
  const { limitResponse, borrowingLimitPercent: borrowing } = limited;
  return [
    ...checkShares(limited, field),
    ...checkResponse(limitResponse ?? {}, `${field}.limitResponse`),
    ...checkLendable(limited, field),
    ...((borrowing ?? 0) < 0 ? [invalid(`${field}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer')] : []),
  ];
}

function checkKind({ type, limited, exempt }: PriorityLevelConfigurationSpec): FieldError[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : []),
        ...(exempt ? [...checkShares(exempt, 'spec.exempt'), ...checkLendable(exempt, 'spec.exempt')] : []),
      ];
    case 'Limited':
      return [
        ...(exempt ? [forbidden('spec.exempt', 'must be nil if the type is Limited')] : []),
        ...(limited ? checkLimited(limited, 'spec.limited') : [required('spec.limited', 'must not be empty when type is Limited')]),
      ];
    default:
      return [notSupported('spec.type', type ?? '', ['Exempt', 'Limited'])];
  }
}

/** Of the exempt level its shares may change; nothing of the other one. */
function checkMandatory(spec: PriorityLevelConfigurationSpec, name: string): FieldError[] {
  const mandatory = MANDATORY_PRIORITY_LEVELS[name];
  if (!mandatory) return [];
  const { exempt: _, ...rest } = spec;
  const { exempt: _fixed, ...fixed } = mandatory;
  if (name === EXEMPT ? deepEqual(rest, fixed) : deepEqual(spec, mandatory)) return [];
  const except = name === EXEMPT ? " except the 'spec.exempt' field" : '';
  return [invalid('spec', internal(spec, 'PriorityLevelConfigurationSpec'), `spec of '${name}'${except} must equal the fixed value`)];
}

/** Upstream: pkg/apis/flowcontrol/validation, ValidatePriorityLevelConfiguration. */
function validate({ metadata: { name = '', annotations }, spec, status }: PriorityLevelConfiguration): FieldError[] {
  const isMisnamed = (name === EXEMPT) !== (spec.type === 'Exempt');
  return [
    ...(annotations?.[ROUND_TRIP] === undefined ? [] : [forbidden('metadata.annotations', `annotation '${ROUND_TRIP}' is forbidden`)]),
    ...(isMisnamed ? [invalid('spec.type', spec.type ?? '', "must be 'Exempt' if and only if `name` is 'exempt'")] : []),
    ...checkKind(spec),
    ...checkMandatory(spec, name),
    ...checkConditions(status?.conditions),
  ];
}

/** Upstream: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go. */
export const priorityLevelConfiguration: KindBehaviour<PriorityLevelConfiguration> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  hasGeneration: true,
  setDefaults,
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  updateOrder: ['whole'],
  validateStatusUpdate: ({ status }) => checkConditions(status?.conditions),
  row: ({ metadata, spec }, nowMs) => {
    const { limited } = spec;
    const queuing = limited?.limitResponse?.queuing;
    return [
      metadata.name ?? '',
      spec.type ?? '',
      limited ? (limited.nominalConcurrencyShares ?? 0) : NONE,
      queuing ? (queuing.queues ?? 0) : NONE,
      queuing ? (queuing.handSize ?? 0) : NONE,
      queuing ? (queuing.queueLengthLimit ?? 0) : NONE,
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
