import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, required } from '../../field-error.ts';
import type { CSINode, CSINodeDriver } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { byteLength, qualifiedNameFaults } from '../../names.ts';
import { checkNonNegative, checkWith } from '../../validation.ts';
import { checkDriverName } from './parameters.ts';

const LONGEST_NODE_ID = 256;

function checkTopologyKeys(keys: readonly string[], field: string): FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key ? [] : [required(field)]),
    ...(keys.indexOf(key) < index ? [duplicate(field, key)] : []),
    ...checkWith(qualifiedNameFaults, key, field),
  ]);
}

/** Upstream: pkg/apis/storage/validation, validateCSINodeDriver. */
function checkDrivers(drivers: readonly CSINodeDriver[]): FieldError[] {
  const names = drivers.map(({ name = '' }) => name);
  return drivers.flatMap(({ name = '', nodeID = '', allocatable, topologyKeys }, index) => {
    const path = at('spec.drivers', index);
    return [
      ...checkDriverName(name, `${path}.name`),
      ...(nodeID ? [] : [required(`${path}.nodeID`)]),
      ...(byteLength(nodeID) > LONGEST_NODE_ID ? [invalid(`${path}.nodeID`, nodeID, `must be ${LONGEST_NODE_ID} characters or less`)] : []),
      ...checkNonNegative(allocatable?.count, `${path}.allocatable.count`),
      ...(names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ...checkTopologyKeys(topologyKeys ?? [], path),
    ];
  });
}

/** A driver as Go prints its internal type. */
const shown = ({ name = '', nodeID = '', topologyKeys, allocatable }: CSINodeDriver): unknown => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
});

/** A driver that stays keeps what it is (upstream: ValidateCSINodeUpdate). */
function checkKeptDrivers(drivers: readonly CSINodeDriver[], old: readonly CSINodeDriver[]): FieldError[] {
  return old.flatMap((before) =>
    drivers
      .filter((driver) => driver.name === before.name && !deepEqual(driver, before))
      .map((driver) => invalid('spec.drivers', shown(driver), 'field is immutable')),
  );
}

export const csiNode: KindBehaviour<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  returnsDeleted: true,
  allowUnconditionalUpdate: false,
  validate: ({ spec }) => checkDrivers(spec.drivers ?? []),
  updateOrder: ['whole', 'whole', 'change'],
  validateUpdate: ({ spec }, { spec: old }) => checkKeptDrivers(spec.drivers ?? [], old.drivers ?? []),
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec.drivers?.length ?? 0, age(metadata.creationTimestamp, nowMs)],
};
