{{ config(materialized='view') }}
SELECT id, region, amount FROM {{ ref('payments') }} WHERE amount > 5
