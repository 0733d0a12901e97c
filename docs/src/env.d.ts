declare namespace App {
  interface Locals {
    /** What Starlight knows about the current page. */
    starlightRoute: import('@astrojs/starlight/route-data').StarlightRouteData;
  }
}
