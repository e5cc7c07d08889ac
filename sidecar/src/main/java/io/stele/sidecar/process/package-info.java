/**
 * The state of the sidecar's process that its endpoints show: its version, and its ports while it
 * serves.
 *
 * <p>All of this module may call it. It touches nothing else.
 */
@NullMarked
package io.stele.sidecar.process;

import org.jspecify.annotations.NullMarked;
