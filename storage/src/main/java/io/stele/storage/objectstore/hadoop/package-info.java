/** The object store on HDFS and Hadoop's other file systems, and its settings. */
@NullMarked
package io.stele.storage.objectstore.hadoop;

import org.jspecify.annotations.NullMarked;
