/**
 * The object store on S3 and compatible services, and its settings.
 *
 * <p>{@code warehouse} and front ends may call it. It may touch the AWS SDK, the contract of object
 * stores and {@code retrieval}.
 */
@NullMarked
package io.stele.objectstore.s3;

import org.jspecify.annotations.NullMarked;
