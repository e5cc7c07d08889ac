package io.stele.objectstore.metrics;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A metric that counts since the start of the process and never falls: a counter of OpenMetrics.
 * Numbers without it are gauges.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Cumulative {}
