import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { loadTexts } from './texts/texts.ts';

await loadTexts();
mount(App, { target: document.body });
