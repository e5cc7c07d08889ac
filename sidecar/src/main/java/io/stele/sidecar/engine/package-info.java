/** The storage engine inside the sidecar: its configuration, its opening and its threads. */
@NullMarked
package io.stele.sidecar.engine;

import org.jspecify.annotations.NullMarked;
