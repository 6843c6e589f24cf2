import { chatCategory } from './chat/category.ts';
import type { SettingsOf } from '../validation/setting-table.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import type { ModelInfo, ModelOptions } from '../contracts/model.ts';
import { detectionCategory } from './detection/category.ts';
import { embeddingCategory } from './embedding/category.ts';
import { imageCategory } from './image/category.ts';
import { rerankCategory } from './rerank/category.ts';
import { speechCategory } from './speech/category.ts';
import { transcriptionCategory } from './transcription/category.ts';

/** All categories, one per line. */
const definitions = [
  imageCategory,
  transcriptionCategory,
  speechCategory,
  detectionCategory,
  rerankCategory,
  embeddingCategory,
  chatCategory,
] as const;

type Definition = (typeof definitions)[number];

type TypesOf<D> =
  D extends CategoryDefinition<
    infer Name,
    infer Input,
    infer Request,
    infer Event,
    infer Info,
    infer Settings,
    infer Methods
  >
    ? {
        name: Name;
        input: Input;
        request: Request;
        event: Event;
        info: Info;
        options: ModelOptions<SettingsOf<Settings>> & { readonly category: Name };
        methods: Methods;
      }
    : never;

/** The requests, events and facts of each category, by name. */
export type Categories = { [D in Definition as D['name']]: TypesOf<D> };

/** The name of a category. */
export type Category = Definition['name'];

/** Facts about a model of any category. */
export type AnyModelInfo = ModelInfo & Facts;

/** The settings of a model of any category; without `category`, its files determine it. */
export type AnyModelOptions =
  TypesOf<Definition>['options'] | (ModelOptions & OwnSettings & { readonly category?: undefined });

type Facts = Own<TypesOf<Definition>['info'], keyof ModelInfo>;
type OwnSettings = Own<TypesOf<Definition>['options'], keyof ModelOptions>;

/** The members of a union's types beyond the common ones. */
type Own<Types, Common> = {
  readonly [Key in Exclude<KeysOf<Types>, Common>]?: ValueOf<Types, Key> | undefined;
};
type KeysOf<Types> = Types extends unknown ? keyof Types : never;
type ValueOf<Types, Key> = Types extends unknown ? (Key extends keyof Types ? Types[Key] : never) : never;

export type CategoryMethods = UnionToIntersection<TypesOf<Definition>['methods']>;

type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;

export const categories: ReadonlyMap<string, CategoryDefinition> = new Map(
  definitions.map((definition) => [definition.name, definition as unknown as CategoryDefinition]),
);

export const categoryNames = definitions.map(({ name }) => name);
