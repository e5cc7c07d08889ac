/** The HTTP server: health, status and metrics. */
@NullMarked
package io.stele.sidecar.http;

import org.jspecify.annotations.NullMarked;
