import type { UserInfo } from '../api/request.ts';
import { MASTERS_GROUP } from '../apiserver/chain/authorization.ts';

/** Until there are roles, our own components act with all rights. */
export function componentUser(name: string): UserInfo {
  return { name: `system:${name}`, groups: [MASTERS_GROUP, 'system:authenticated'] };
}

export const administrator: UserInfo = { name: 'kubernetes-admin', groups: [MASTERS_GROUP, 'system:authenticated'] };
