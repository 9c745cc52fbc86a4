import { invalid as invalidField, notSupported } from '../../api/field-error.ts';
import type { DeleteOptions } from '../../api/generated/types/meta.v1.ts';
import type { ApiRequest } from '../../api/request.ts';
import { badRequest } from '../../api/status.ts';
import { type BodyDecoder, parseBody } from '../decode/body.ts';
import { DecodeError } from '../decode/decode.ts';
import { decodeGo } from '../decode/go.ts';
import { readQuery } from '../decode/query.ts';
import { refuseOptions } from '../write/options.ts';

const DELETE_OPTIONS = { gracePeriodSeconds: 'whole', orphanDependents: 'flag', propagationPolicy: 'text', dryRun: 'text' } as const;

/** How a client wants an object to go: from the body, or from the query where there is none. @throws StatusError */
export function deleteOptions(bodies: BodyDecoder, request: ApiRequest): DeleteOptions {
  let options: DeleteOptions = {};
  const { value } = request.body === undefined || (request.body instanceof Uint8Array && request.body.length === 0) ? { value: undefined } : parseBody(request);
  if (value !== undefined && value !== null) {
    try {
      options = decodeGo(bodies.targetOfKind('v1', 'DeleteOptions').type, value).object as DeleteOptions;
    } catch (error) {
      if (error instanceof DecodeError) throw badRequest(`DeleteOptions in version "v1" cannot be handled as a DeleteOptions: ${error.message}`);
      throw error;
    }
  } else {
    const { dryRun, ...others } = readQuery(request.query, DELETE_OPTIONS);
    options = { ...others, ...(dryRun === undefined ? {} : { dryRun: [dryRun] }) };
  }
  const { propagationPolicy, orphanDependents, dryRun } = options;
  refuseOptions('DeleteOptions', [
    ...(propagationPolicy !== undefined && orphanDependents !== undefined
      ? [invalidField('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')]
      : []),
    ...(propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagationPolicy)
      ? [notSupported('propagationPolicy', propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil'])]
      : []),
    ...(dryRun?.some((value) => value !== 'All') ? [notSupported('dryRun', dryRun, ['All'])] : []),
  ]);
  return options;
}
