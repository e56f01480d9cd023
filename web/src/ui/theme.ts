export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEPT = 'baton theme'

/** Light or dark, as this person chose in this browser; else as the system has it. */
export function applyTheme(): void {
  const kept = currentTheme()
  if (kept !== 'system') document.documentElement.dataset.theme = kept
  else delete document.documentElement.dataset.theme
}

export function currentTheme(): Theme {
  const kept = localStorage.getItem(KEPT)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, theme)
  applyTheme()
}
