/**
 * Texts of the documents by model, property and `Model.property`. The last one is for a property that means something
 * else in that model.
 */
export type Texts = Readonly<Record<string, string>>;
