type Labels = Readonly<Record<string, string>>;

/** Things by their labels. */
export class LabelIndex<T extends { labels: Labels }> {
  readonly #all = new Set<T>();
  readonly #byLabel = new Map<string, Set<T>>();

  add(item: T): void {
    this.#all.add(item);
    for (const [key, value] of Object.entries(item.labels)) {
      const label = `${key}=${value}`;
      this.#byLabel.set(label, (this.#byLabel.get(label) ?? new Set()).add(item));
    }
  }

  remove(item: T): void {
    this.#all.delete(item);
    for (const [key, value] of Object.entries(item.labels)) {
      const label = `${key}=${value}`;
      const items = this.#byLabel.get(label);
      items?.delete(item);
      if (items?.size === 0) this.#byLabel.delete(label);
    }
  }

  /** Those that have all the labels of the selector, in the order in which they came. */
  select(selector: Labels = {}): T[] {
    const wanted = Object.entries(selector);
    const [first] = wanted;
    const candidates = first ? (this.#byLabel.get(`${first[0]}=${first[1]}`) ?? []) : this.#all;
    return [...candidates].filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  }
}
