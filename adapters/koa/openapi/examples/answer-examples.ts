import { accountAnswers } from './account-answers.ts';
import { subscriptionAnswers } from './subscription-answers.ts';

/**
 * What the documents show of answers as a whole, by operation: of what is tried first, as a new server answers it. A test
 * asks one. Of other answers the schemas have an example of each value.
 */
export const answerExamples: Readonly<Record<string, unknown>> = {
  ...accountAnswers,
  ...subscriptionAnswers,
};
