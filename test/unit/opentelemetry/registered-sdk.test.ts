import { trace } from '@opentelemetry/api';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { hasSdk } from '../../../adapters/opentelemetry/index.ts';

describe('process-wide OpenTelemetry SDK', () => {
  afterEach(() => trace.disable());

  it('is reported as missing if unregistered, but not if it samples no traces', () => {
    expect(hasSdk()).to.equal(false);
    trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler: new AlwaysOffSampler() }));
    expect(hasSdk()).to.equal(true);
  });
});
