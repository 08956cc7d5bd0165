import { openApi } from '../../adapters/koa/index.ts';
import { answerExamples } from '../../adapters/koa/openapi/examples/answer-examples.ts';
import { answersToNewcomer } from '../support/http/answered-requests.ts';
import { expect, freshDatabase, migrated, serve } from '../support/http/index.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
  >;
}

describe('response examples in the OpenAPI document', () => {
  it('match the responses of a new server', async () => {
    const serving = await serve(await freshDatabase('sqlite', migrated));
    try {
      expect(await answersToNewcomer(serving)).to.eql(answerExamples);
    } finally {
      await serving.close();
    }
  });

  it('appear next to their schemas', async () => {
    const { paths } = (await openApi()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
    const operations = Object.values(paths).flatMap((each) => Object.values(each));
    const shown = operations.flatMap(({ operationId, responses }) => {
      const example = responses[200]?.content?.['application/json']?.example;
      return example === undefined ? [] : [[operationId, example]];
    });
    expect(Object.fromEntries(shown)).to.eql(answerExamples);
  });
});
