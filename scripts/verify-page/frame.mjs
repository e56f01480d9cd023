/** The page around its script. */
export const frame = ({ policy, style, script }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Verify a Baton log</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Verify a Baton log</h1>
<p>Everything happens in this page: nothing is sent anywhere, and the page may not even try. Save it, go offline, and use it there.</p>
<label id="drop" tabindex="0">
<strong>Drop the folder of an export here</strong>
<span>or choose it. It is what <code>baton audit export --out log/</code> wrote.</span>
<input id="folder" type="file" webkitdirectory multiple>
</label>
<details>
<summary>What you know of this log yourself</summary>
<label>Its key <input id="vkey" type="text" spellcheck="false" autocomplete="off" placeholder="name+1234abcd+AbC…="></label>
<label>A checkpoint that you kept <textarea id="seen" rows="5" spellcheck="false"></textarea></label>
</details>
<section id="result" aria-live="polite"></section>
</main>
<script>${script}</script>
</body>
</html>
`
