/** The object store on HDFS and whatever else Hadoop's file systems reach, and its settings. */
@NullMarked
package io.stele.storage.objectstore.hadoop;

import org.jspecify.annotations.NullMarked;
