/** Local files as the cache and the log use them. */
@org.jspecify.annotations.NullMarked
package io.stele.cache.files;
