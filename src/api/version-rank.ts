const RANKED = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STAGES = ['alpha', 'beta', undefined];

/**
 * Orders versions as clients prefer them: stable ones first, then beta and alpha ones, each from the newest on; names of
 * another form come last, by the alphabet (apimachinery/pkg/version.CompareKubeAwareVersionStrings).
 */
export function byVersionRank(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (!first || !second) return first ? -1 : second ? 1 : a < b ? -1 : a > b ? 1 : 0;
  const at = first.findIndex((value, index) => value !== second[index]);
  return at < 0 ? 0 : second[at]! - first[at]!;
}

function rankOf(version: string): [stage: number, major: number, minor: number] | undefined {
  const [found, major, stage, minor] = RANKED.exec(version) ?? [];
  return found === undefined ? undefined : [STAGES.indexOf(stage), Number(major), Number(minor ?? 0)];
}
