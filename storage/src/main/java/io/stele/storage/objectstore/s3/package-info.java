/** The object store on S3 and compatible services, and its settings. */
@NullMarked
package io.stele.storage.objectstore.s3;

import org.jspecify.annotations.NullMarked;
