/**
 * Descriptions by model, by property, or by `Model.property`. Use the last form if a property has a different meaning
 * in one model.
 */
export type Texts = Readonly<Record<string, string>>;
