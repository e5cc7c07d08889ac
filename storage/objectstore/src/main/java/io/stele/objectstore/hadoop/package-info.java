/**
 * The object store on HDFS and whatever else Hadoop's file systems reach, and its settings.
 *
 * <p>{@code warehouse}, front ends and the engine's log on HDFS may call it. It may touch Hadoop,
 * the contract of object stores and {@code retrieval}.
 */
@NullMarked
package io.stele.objectstore.hadoop;

import org.jspecify.annotations.NullMarked;
