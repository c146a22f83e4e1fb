/*
 * Light or dark: as the system wishes, until it is chosen by hand; the choice is kept by the browser.
 */

export type Theme = "light" | "dark";
const KEY = "rigor.theme";

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // a page from a file may have no storage
  }
}

export class ThemeSwitch {
  theme: Theme;
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly changed: (theme: Theme) => void) {
    this.theme = stored() ?? this.wished();
    this.system.addEventListener("change", () => {
      if (!stored()) this.apply(this.wished());
    });
    this.apply(this.theme);
  }

  toggle(): void {
    const next = this.theme === "light" ? "dark" : "light";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // not kept, but shown
    }
    this.apply(next);
  }

  private wished(): Theme {
    return this.system.matches ? "dark" : "light";
  }

  private apply(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.changed(theme);
  }
}

/** A colour of the style sheet. */
export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
