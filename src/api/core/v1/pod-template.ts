import type { PodTemplate } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { selectorFromMap } from '../../labels.ts';
import { setTemplateDefaults } from './pod/defaults.ts';
import { dropGatedFields } from './pod/gated-fields.ts';
import { templateCells } from './pod/template-cells.ts';
import { validatePodTemplate } from './pod/validation/pod-spec.ts';

export const podTemplate: KindBehaviour<PodTemplate> = {
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  returnsDeleted: true,
  hasGeneration: true,
  setDefaults: ({ template }) => setTemplateDefaults(template),
  prepareForCreate: ({ template }) => dropGatedFields(template.spec),
  prepareForUpdate: ({ template }, old) => dropGatedFields(template.spec, old.template.spec),
  validate: ({ template }) => validatePodTemplate(template, 'template'),
  row: ({ metadata, template }) => [metadata.name ?? '', ...templateCells(template.spec), selectorFromMap(template.metadata?.labels).toString() || '<none>'],
};
