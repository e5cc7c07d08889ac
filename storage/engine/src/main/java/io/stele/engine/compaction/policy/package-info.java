/**
 * Compaction policies: they pick the files to compact from a list, and decide where the files that
 * result are cut.
 *
 * <p>Compactions and the writers of their files may call it. It may touch data files and manifests,
 * and reads no file.
 */
@NullMarked
package io.stele.engine.compaction.policy;

import org.jspecify.annotations.NullMarked;
