/**
 * Writers of SST files and column files, for flushes and compactions.
 *
 * <p>Compactions may call it. It may touch tablets, compaction policies and files.
 */
@NullMarked
package io.stele.engine.compaction.output;

import org.jspecify.annotations.NullMarked;
