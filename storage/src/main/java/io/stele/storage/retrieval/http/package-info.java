/**
 * Ranged GETs over HTTP/1.1 on a few threads, each of which drives many connections and reads
 * bodies straight to where they belong.
 */
@NullMarked
package io.stele.storage.retrieval.http;

import org.jspecify.annotations.NullMarked;
