import { mount } from 'svelte';
import './app.css';
import ExplorerPage from './screens/explorer/ExplorerPage.svelte';

mount(ExplorerPage, { target: document.body });
