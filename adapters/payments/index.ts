export { fileLedger } from './file-ledger.ts';
export { type SandboxGateway, type SandboxGatewayOptions, sandboxGateway } from './sandbox-gateway.ts';
export { type LedgerEntry, type LedgerOverride, memoryLedger, type SandboxLedger } from './sandbox-ledger.ts';
export { SandboxAction, type SandboxConfiguration } from './sandbox-script.ts';
