// What reading.py asks of a page: an object of functions.
({
    // Numbers what takes part in the order of focus, of a group of radio buttons one, and says how many there are.
    marked(selector) {
        const one = each => each.type !== "radio" || each.checked ||
            ![...document.getElementsByName(each.name)].some(other => other.checked);
        const found = [...document.querySelectorAll(selector)]
            .filter(each => each.checkVisibility({visibilityProperty: true}) && !each.disabled && one(each));
        document.querySelectorAll("[data-place]").forEach(each => each.removeAttribute("data-place"));
        found.forEach((each, place) => each.setAttribute("data-place", place));
        return found.length;
    },

    // The number of what has the focus (null: nothing, -1: something without one), and whether that is seen.
    focused() {
        const at = document.activeElement;
        if (!at || at === document.body) return [null, false];
        const style = getComputedStyle(at);
        const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
        return [Number(at.getAttribute("data-place") ?? -1), outlined || style.boxShadow !== "none"];
    },

    // Texts of drawings whose contrast (WCAG 2.1, relative luminance) to what is painted beneath their middle,
    // composed from the bottom up, is below the least.
    faint(least) {
        const colour = said => {
            const found = said.match(/^rgba?\(([^)]*)\)$/);
            if (!found) return null;
            const [red, green, blue, alpha = 1] = found[1].split(/[ ,\/]+/).map(Number);
            return {parts: [red / 255, green / 255, blue / 255], alpha};
        };
        const over = (above, share, beneath) =>
            beneath.map((each, place) => share * above[place] + (1 - share) * each);
        const luminance = parts => parts
            .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
            .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
        const contrast = (one, other) => {
            const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
        };
        const beneath = text => {
            const box = text.getBoundingClientRect();
            let behind = [1, 1, 1];
            for (const each of document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2).reverse()) {
                const drawn = each instanceof SVGElement;
                if (text.contains(each)) break;
                if (drawn && each.contains(text)) continue;
                const style = getComputedStyle(each);
                const painted = colour(drawn ? style.fill : style.backgroundColor);
                if (!painted) continue;
                const share = painted.alpha * style.opacity * (drawn ? style.fillOpacity : 1);
                behind = over(painted.parts, share, behind);
            }
            return behind;
        };
        const faint = [];
        for (const text of document.querySelectorAll("svg text")) {
            if (!text.checkVisibility({visibilityProperty: true}) || !text.textContent.trim()) continue;
            text.scrollIntoView({block: "center", inline: "center"});
            const behind = beneath(text);
            const ink = colour(getComputedStyle(text).fill);
            const found = contrast(over(ink.parts, ink.alpha, behind), behind);
            if (found < least) faint.push(`${found.toFixed(2)}: ${text.outerHTML.slice(0, 160)}`);
        }
        return faint;
    },

    // Texts of one drawing that lie on each other. A line's box is higher than its letters: four pixels of it may
    // be another's.
    crossing() {
        const found = [];
        for (const drawing of document.querySelectorAll("svg")) {
            if (!drawing.checkVisibility()) continue;
            const texts = [...drawing.querySelectorAll("text")].filter(each => each.textContent.trim())
                .map(each => ({box: each.getBoundingClientRect(), said: each.textContent}));
            texts.forEach((one, place) => texts.slice(place + 1).forEach(other => {
                const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
                const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
                if (wide > 2 && high > 4) found.push(`${one.said} on ${other.said}, ${wide} by ${high} px`);
            }));
        }
        return found;
    },
});
