export const MODES = ['sandbox', 'live'] as const;
export type Mode = (typeof MODES)[number];

export const KINDS = ['customers', 'accounts', 'collections', 'external_accounts'] as const;
export type Kind = (typeof KINDS)[number];

export const KYC_STATUSES = ['pending', 'passed', 'failed'] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];
