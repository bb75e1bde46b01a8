// SPDX-License-Identifier: Apache-2.0
// A common drawing interface for the screen and for files.

export interface Painter {
  /** Segments in one stroke: x1, y1, x2, y2 each. */
  segments(color: string, width: number, alpha: number, coordinates: number[]): void;
  circle(color: string, alpha: number, x: number, y: number, radius: number): void;
  /** With its centre at x, y; `line`: the outline. */
  box(fill: string, line: string, lineWidth: number, x: number, y: number, width: number, height: number, radius: number): void;
  /** Filled. */
  polygon(color: string, alpha: number, coordinates: number[]): void;
  /** `halo`: around the letters, so that they are readable above lines. */
  text(color: string, size: number, x: number, y: number, text: string, align: 'left' | 'center', halo?: string): void;
}

const family = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export class CanvasPainter implements Painter {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  segments(color: string, width: number, alpha: number, coordinates: number[]): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    for (let i = 0; i + 3 < coordinates.length; i += 4) {
      context.moveTo(coordinates[i] ?? 0, coordinates[i + 1] ?? 0);
      context.lineTo(coordinates[i + 2] ?? 0, coordinates[i + 3] ?? 0);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  circle(color: string, alpha: number, x: number, y: number, radius: number): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }

  box(fill: string, line: string, lineWidth: number, x: number, y: number, width: number, height: number, radius: number): void {
    const { context } = this;
    context.beginPath();
    const r = Math.min(radius, width / 2, height / 2);
    const [left, top, right, bottom] = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
    context.moveTo(left + r, top);
    context.arcTo(right, top, right, bottom, r);
    context.arcTo(right, bottom, left, bottom, r);
    context.arcTo(left, bottom, left, top, r);
    context.arcTo(left, top, right, top, r);
    context.closePath();
    context.fillStyle = fill;
    context.fill();
    if (lineWidth <= 0) return;
    context.strokeStyle = line;
    context.lineWidth = lineWidth;
    context.stroke();
  }

  polygon(color: string, alpha: number, coordinates: number[]): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.beginPath();
    for (let i = 0; i + 1 < coordinates.length; i += 2) context.lineTo(coordinates[i] ?? 0, coordinates[i + 1] ?? 0);
    context.closePath();
    context.fill();
    context.globalAlpha = 1;
  }

  text(color: string, size: number, x: number, y: number, text: string, align: 'left' | 'center', halo?: string): void {
    const { context } = this;
    context.font = `${size}px ${family}`;
    context.textAlign = align;
    context.textBaseline = 'middle';
    if (halo !== undefined) {
      context.strokeStyle = halo;
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeText(text, x, y);
    }
    context.fillStyle = color;
    context.fillText(text, x, y);
  }
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

export class SvgPainter implements Painter {
  private readonly parts: string[] = [];

  segments(color: string, width: number, alpha: number, coordinates: number[]): void {
    let path = '';
    for (let i = 0; i + 3 < coordinates.length; i += 4) {
      const [x1, y1, x2, y2] = coordinates.slice(i, i + 4).map(short);
      path += `M${x1} ${y1}L${x2} ${y2}`;
    }
    if (path !== '') this.parts.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="${short(width)}" stroke-opacity="${short(alpha)}"/>`);
  }

  circle(color: string, alpha: number, x: number, y: number, radius: number): void {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${color}" fill-opacity="${short(alpha)}"/>`);
  }

  box(fill: string, line: string, lineWidth: number, x: number, y: number, width: number, height: number, radius: number): void {
    const stroke = lineWidth > 0 ? ` stroke="${line}" stroke-width="${short(lineWidth)}"` : '';
    this.parts.push(
      `<rect x="${short(x - width / 2)}" y="${short(y - height / 2)}" width="${short(width)}" height="${short(height)}" rx="${short(radius)}" fill="${fill}"${stroke}/>`,
    );
  }

  polygon(color: string, alpha: number, coordinates: number[]): void {
    this.parts.push(`<polygon points="${coordinates.map(short).join(' ')}" fill="${color}" fill-opacity="${short(alpha)}"/>`);
  }

  text(color: string, size: number, x: number, y: number, text: string, align: 'left' | 'center', halo?: string): void {
    const anchor = align === 'center' ? 'middle' : 'start';
    const around = halo === undefined ? '' : ` stroke="${halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`;
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" font-family="${escaped(family)}" font-size="${size}" fill="${color}" text-anchor="${anchor}" dominant-baseline="central"${around}>${escaped(text)}</text>`,
    );
  }

  /** The whole drawing as a file. */
  file(width: number, height: number, background: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
      `<rect width="100%" height="100%" fill="${background}"/>${this.parts.join('')}</svg>\n`
    );
  }
}
