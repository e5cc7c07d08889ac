/**
 * The status of the engine, of its tables and indexes at one moment, for monitoring.
 *
 * <p>The engine's root may call it. It may touch everything below.
 */
@NullMarked
package io.stele.engine.status;

import org.jspecify.annotations.NullMarked;
