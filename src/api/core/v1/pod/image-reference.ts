/** The parts of an image reference that decide what is pulled. */
export interface ImageReference {
  /** With domain and, where it applies, `library/`: `docker.io/library/nginx`. */
  repository: string;
  /** `latest` where neither tag nor digest is given; empty where only a digest is. */
  tag: string;
  digest: string;
}

const MAX_REPOSITORY = 255;
const ALPHANUMERIC = '[a-z0-9]+';
const PATH_PART = `${ALPHANUMERIC}(?:(?:\\.|_|__|-+)${ALPHANUMERIC})*`;
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const NAME = `(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*`;
const REFERENCE = new RegExp(`^(${NAME})(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`);

/**
 * Reads an image reference as container engines do (upstream: pkg/util/parsers.ParseImageName over distribution/reference).
 * @returns undefined and a reason where the text is none.
 */
export function parseImageReference(image: string): { reference: ImageReference } | { fault: string } {
  if (/^[a-f0-9]{64}$/.test(image)) {
    return { fault: `couldn't parse image name "${image}": invalid repository name (${image}), cannot specify 64-byte hexadecimal strings` };
  }
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const remote = hasDomain ? image.slice(slash + 1) : image;
  const remainder = !hasDomain && !image.includes('/') ? `library/${image}` : remote;
  const remoteName = (remainder.includes(':') ? remainder.slice(0, remainder.indexOf(':')) : remainder).replace(/@.*$/, '');
  if (remoteName.toLowerCase() !== remoteName) {
    return { fault: `couldn't parse image name "${image}": invalid reference format: repository name (${remoteName}) must be lowercase` };
  }
  const match = REFERENCE.exec(hasDomain ? `${first}/${remainder}` : `docker.io/${remainder}`);
  if (!match) return { fault: `couldn't parse image name "${image}": invalid reference format` };
  const [, repository = '', tag = '', digest = ''] = match;
  if (repository.length > MAX_REPOSITORY) {
    return { fault: `couldn't parse image name "${image}": repository name must not be more than ${MAX_REPOSITORY} characters` };
  }
  return { reference: { repository, tag: tag || (digest ? '' : 'latest'), digest } };
}

/** The pull policy of an image for which none is given. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const parsed = parseImageReference(image);
  return 'reference' in parsed && parsed.reference.tag === 'latest' ? 'Always' : 'IfNotPresent';
}
