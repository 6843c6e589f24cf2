import type { ModelOptions } from '../contracts/model.ts';

type Described<Settings extends object, Category> = ModelOptions<Settings> & { readonly category: Category };

/** Describes a model of a category by its settings and limits. */
export type Describe<Settings extends object, Category extends string> = (
  options: Omit<ModelOptions<Settings>, 'category'>,
) => Described<Settings, Category>;

export function describing<Settings extends object, Category extends string>(
  category: Category,
): Describe<Settings, Category> {
  return (options) => ({ ...options, category }) as Described<Settings, Category>;
}
