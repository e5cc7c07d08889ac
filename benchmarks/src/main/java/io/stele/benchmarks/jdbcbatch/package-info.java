/** INSERTs of one row each by JDBC batch. */
@org.jspecify.annotations.NullMarked
package io.stele.benchmarks.jdbcbatch;
