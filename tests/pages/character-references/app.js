document.title += '.';
