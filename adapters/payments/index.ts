export { type SandboxGateway, type SandboxGatewayOptions, sandboxGateway } from './sandbox-gateway.ts';
export {
  fileLedger,
  type LedgerEntry,
  type LedgerOverride,
  memoryLedger,
  type SandboxLedger,
} from './sandbox-ledger.ts';
export { SandboxAction, type SandboxConfiguration } from './sandbox-script.ts';
