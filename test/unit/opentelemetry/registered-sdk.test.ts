import { trace } from '@opentelemetry/api';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { hasSdk } from '../../../adapters/opentelemetry/index.ts';

describe('the SDK of a process', () => {
  afterEach(() => trace.disable());

  it('is missed where none is registered, and not where it samples nothing', () => {
    expect(hasSdk()).to.equal(false);
    trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler: new AlwaysOffSampler() }));
    expect(hasSdk()).to.equal(true);
  });
});
