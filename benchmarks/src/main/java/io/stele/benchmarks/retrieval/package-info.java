/** Reads from an S3 server by Stele's download manager and by the clients of the AWS SDK. */
@NullMarked
package io.stele.benchmarks.retrieval;

import org.jspecify.annotations.NullMarked;
