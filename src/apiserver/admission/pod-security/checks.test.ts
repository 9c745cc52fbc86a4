import { expect, it } from 'vitest';
import type { PodSpec } from '../../../api/generated/types/core.v1.ts';
import { type Level, violations } from './checks.ts';

/** What v1.34 itself said of each. */
const CASES: [Level, object, string][] = [
  ['baseline', { containers: [{ name: 'c', image: 'i' }] }, ''],
  [
    'baseline',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
    },
    '',
  ],
  [
    'baseline',
    { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }], hostNetwork: true, hostPID: true },
    'host namespaces (hostNetwork=true, hostPID=true), privileged (container "c" must not set securityContext.privileged=true)',
  ],
  [
    'baseline',
    {
      containers: [
        { name: 'c', image: 'i', securityContext: { capabilities: { add: ['SYS_ADMIN', 'NET_RAW'] } } },
        { name: 'd', image: 'i', securityContext: { runAsUser: 0, runAsNonRoot: false } },
      ],
    },
    'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    'baseline',
    {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'n', nfs: { server: 's', path: '/' } },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          ports: [
            { containerPort: 1, hostPort: 1 },
            { containerPort: 2, hostPort: 2 },
          ],
        },
      ],
    },
    'hostPath volumes (volume "v"), hostPort (container "c" uses hostPorts 1, 2)',
  ],
  [
    'baseline',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            appArmorProfile: { type: 'Unconfined' },
          },
          livenessProbe: { httpGet: { host: 'h', port: 1, path: '/' } },
        },
      ],
    },
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined"), probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  ],
  [
    'baseline',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            seLinuxOptions: { role: 'r', type: 'container_t' },
            procMount: 'Unmasked',
          },
        },
      ],
      hostUsers: false,
    },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked"), seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: role may not be set)',
  ],
  [
    'baseline',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
      initContainers: [{ name: 'i', image: 'i' }],
    },
    '',
  ],
  [
    'baseline',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            runAsUser: 0,
          },
        },
      ],
      securityContext: { runAsUser: 0 },
    },
    '',
  ],
  [
    'restricted',
    { containers: [{ name: 'c', image: 'i' }] },
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'restricted',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
    },
    '',
  ],
  [
    'restricted',
    { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }], hostNetwork: true, hostPID: true },
    'host namespaces (hostNetwork=true, hostPID=true), privileged (container "c" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'restricted',
    {
      containers: [
        { name: 'c', image: 'i', securityContext: { capabilities: { add: ['SYS_ADMIN', 'NET_RAW'] } } },
        { name: 'd', image: 'i', securityContext: { runAsUser: 0, runAsNonRoot: false } },
      ],
    },
    'allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "c", "d" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add), runAsNonRoot != true (container "d" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "d" must not set runAsUser=0), seccompProfile (pod or containers "c", "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'restricted',
    {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'n', nfs: { server: 's', path: '/' } },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          ports: [
            { containerPort: 1, hostPort: 1 },
            { containerPort: 2, hostPort: 2 },
          ],
        },
      ],
    },
    'hostPort (container "c" uses hostPorts 1, 2), restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs")',
  ],
  [
    'restricted',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            appArmorProfile: { type: 'Unconfined' },
          },
          livenessProbe: { httpGet: { host: 'h', port: 1, path: '/' } },
        },
      ],
    },
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined"), probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  ],
  [
    'restricted',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            seLinuxOptions: { role: 'r', type: 'container_t' },
            procMount: 'Unmasked',
          },
        },
      ],
      hostUsers: false,
    },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked"), seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: role may not be set)',
  ],
  [
    'restricted',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
      initContainers: [{ name: 'i', image: 'i' }],
    },
    'allowPrivilegeEscalation != false (container "i" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "i" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "i" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "i" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'restricted',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
            runAsUser: 0,
          },
        },
      ],
      securityContext: { runAsUser: 0 },
    },
    'runAsUser=0 (pod and container "c" must not set runAsUser=0)',
  ],
];

it.each(CASES)('%s: %j', (level, spec, said) => {
  const found = violations(level, { spec: spec as PodSpec });
  expect(found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')).toBe(said);
});
