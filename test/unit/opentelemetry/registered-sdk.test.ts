import { trace } from '@opentelemetry/api';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { hasSdk } from '../../../adapters/opentelemetry/index.ts';

describe('the process-wide OpenTelemetry SDK', () => {
  afterEach(() => trace.disable());

  it('is reported as missing when it is not registered, but not when it samples nothing', () => {
    expect(hasSdk()).to.equal(false);
    trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler: new AlwaysOffSampler() }));
    expect(hasSdk()).to.equal(true);
  });
});
