{{ config(materialized='incremental', incremental_strategy='append') }}
SELECT {{ var('day') }} AS day, count(*) AS payments FROM {{ ref('payments') }}
