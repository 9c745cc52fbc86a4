import type { ApiRequest } from '../../api/request.ts';
import { type Authorizer, refusal } from '../chain/authorization.ts';
import { attributesOf } from '../chain/chain.ts';

/** An update or apply that comes to a creation needs that right as well (upstream: endpoints/handlers/create.go, withAuthorization). @throws StatusError Forbidden */
export async function mayCreate(authorizer: Authorizer, request: ApiRequest): Promise<void> {
  const attributes = attributesOf({ ...request, verb: 'create' });
  const decision = await authorizer.authorize(attributes);
  if (!decision.allowed) throw refusal(attributes, decision);
}
