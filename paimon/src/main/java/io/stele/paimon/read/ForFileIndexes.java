package io.stele.paimon.read;

import com.google.inject.BindingAnnotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A binding annotation for the executor on whose threads Paimon's indexes of files are read. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.PARAMETER})
@BindingAnnotation
public @interface ForFileIndexes {}
