/**
 * Bases of manifests: their lists of files, and sketches beside them, as ORC.
 *
 * <p>The engine's root hands it to {@code manifest}. It may touch ORC, of Hadoop what ORC is made
 * of, {@code manifest} and column files.
 */
@NullMarked
package io.stele.engine.manifest.orc;

import org.jspecify.annotations.NullMarked;
