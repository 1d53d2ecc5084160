// A button: how it looks, its icon, and what it says.
import type { ComponentProps } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Omit<ComponentProps<"button">, "label" | "icon" | "is"> {
  /** Its look: `main`, `low`, `plain icon-only`. */
  readonly is?: string;
  readonly icon?: IconName;
  readonly label?: string;
}

export const Button = ({ is, icon, label, ...rest }: ButtonProps) => (
  <button type="button" class={is ? `button ${is}` : "button"} {...rest}>
    {icon && <Icon name={icon} />}
    {icon && label ? ` ${label}` : label}
  </button>
);
